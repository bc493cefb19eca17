import { getSplit } from '../../../../data/sets/persona-split';
import { SPLITS } from '../../../../schemas/dataset/split';

describe('the split of a persona', () => {
  it('never changes', () => {
    const ids = ['1+teacher', '2+real_estate_developer', '3+nurse', '148+cook', '', 'é+🎻'];
    const splits = ['train', 'validation', 'test', 'test', 'validation', 'validation'];
    expect(ids.map(getSplit)).toEqual(splits);
  });

  it('puts about a third of the personas into each', () => {
    const splits = Array.from({ length: 3_000 }, (_, id) => getSplit(`${id}+teacher`));
    // Four standard deviations of a binomial distribution.
    for (const split of SPLITS) {
      expect(Math.abs(splits.filter((one) => one === split).length - 1_000)).toBeLessThan(104);
    }
  });
});
