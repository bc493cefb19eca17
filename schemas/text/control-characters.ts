/**
 * Escapes every character that a terminal would act on as in JSON, such as `\u001b`. Texts of models, providers, data sets and bundles are shown.
 * They must not move the cursor, set the clipboard or reorder the line. JSON keeps its meaning.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(
    CONTROLS,
    (control) => String.raw`\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** C0 without the line break and the tab, DEL, C1, halves of surrogate pairs, marks of text direction. */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu;
