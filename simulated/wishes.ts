import { AXES } from './vocabulary/axes';
import type { Axis, Pole } from './vocabulary/axis';
import { clausesIn, poleOf } from './preference';

/** One end of a choice about answers, as somebody asked for it. */
export interface Side {
  readonly axis: Axis;
  readonly side: 0 | 1;
}

/** What a remark asks for, and how plainly: in words, by a complaint, or by praise for what was there anyway. */
export interface Wish extends Side {
  readonly told: 'outright' | 'hinted' | 'praised';
}

/** What a user's remark, or a sentence about the user, asks for; nothing where the words are not this model's. */
export function wishesIn(remark: string): Wish[] {
  return [
    ...clausesIn(remark).map(({ axis, side }): Wish => ({ axis, side, told: 'outright' })),
    ...hintsIn(remark).map((one): Wish => ({ ...one, told: 'hinted' })),
    ...PRAISE.filter(({ sentence }) => remark.includes(sentence)).map(({ axis, side }): Wish => ({
      axis,
      side,
      told: 'praised',
    })),
  ];
}

/** What a remark complains of; a hint that is known word for word tells it. */
export function hintsIn(remark: string): (Side & { readonly pole: Pole })[] {
  return HINTS.filter(({ sentence }) => remark.includes(sentence));
}

const HINTS = sentencesOf('hints');
const PRAISE = sentencesOf('praise');

function sentencesOf(kind: 'hints' | 'praise') {
  return AXES.flatMap((axis) =>
    ([0, 1] as const).flatMap((side) => {
      const pole = poleOf({ axis, side });
      return pole[kind].map((sentence) => ({ sentence, axis, side, pole }));
    }),
  );
}
