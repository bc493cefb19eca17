import type { Annotation, ReviewTask, ShownMessage } from '../../schemas/review/review';

// Texts of the page for raters, beside LABEL_TEXTS.

export const QUESTIONS: Readonly<
  Record<ReviewTask['kind'], { readonly title: string; readonly hint: string }>
> = {
  preference: {
    title: 'Do the user’s messages express these expectations?',
    hint: 'Hints and praise count if their meaning is clear. Choose for each item how far the messages express it.',
  },
  request: {
    title: 'Does the request reveal these expectations?',
    hint: 'The request should not say what its user expects of the response. Choose for each item how far it does.',
  },
};

/** Text above the tasks of the qualification. */
export const QUALIFICATION_TEXT =
  'Qualification: these examples come first, and their answers are certain. Each item is said outright or not mentioned at all.';

/** The two ratings, from 1 to 7. */
export const RATINGS = {
  realism: 'How realistic is it that someone writes this to an assistant?',
  implicitness: 'How indirect is it?',
} as const;

export const RATING_SCALE = '(1: not at all, 7: very)';

/** Text below the items of a task for which a model quoted passages. They would influence the rater's first view. */
export const QUOTATIONS_TEXTS = {
  hidden: 'A model quoted passages for these items. They are shown once you have labeled every item.',
  shown: 'Each item now shows what a model quoted for it. You can still change your labels.',
} as const;

/** A heading above the messages. */
export const MESSAGES_TITLES: Readonly<Record<ReviewTask['kind'], string>> = {
  preference: 'The user’s messages',
  request: 'The request',
};

/** Names a message for the page. */
export function titleMessage({ session, index }: Pick<ShownMessage, 'session' | 'index'>): string {
  return session === 0 ? 'Request' : `Session ${session}, message ${index / 2 + 1}`;
}

/** Describes for the third rater what the two others changed or rejected. */
export function describeOthers(
  { messages }: Pick<ReviewTask, 'messages'>,
  annotations: readonly Annotation[],
): string[] {
  return annotations.flatMap(({ rater, rejection, revisions }) => [
    ...(rejection === null ? [] : [`${rater} wants it left out: ${rejection}`]),
    ...revisions.map((revision) => {
      const message = messages.find(
        ({ opening, index }) => opening === revision.opening && index === revision.index,
      );
      return `${rater} wrote${message === undefined ? '' : ` (${titleMessage(message)})`}: ${revision.new_text}`;
    }),
  ]);
}
