import { useId } from 'preact/hooks';

interface ExplanationProps {
  /** Name of what is explained. */
  readonly name: string;
  readonly text: string;
}

/** Renders a button that shows an explanation. The browser opens it by mouse, touch and keyboard, and Escape closes it. */
export function Explanation({ name, text }: ExplanationProps) {
  const id = useId();
  return (
    <>
      <button type="button" class="explain" aria-label={`About ${name}`} popovertarget={id} />
      <div id={id} class="explanation" popover="auto">
        {text}
      </div>
    </>
  );
}
