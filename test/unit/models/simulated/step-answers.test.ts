import { getAnswerForm, STEPS } from '../../../../schemas/run/step';
import { STEP_ANSWERS } from '../../../../models/simulated/model';

test('every step has a simulated answer, its own or that of the step whose form it shares', () => {
  expect(getAnswerForm('decompose')).toBe('checklist');
  // A memory system answers it, not a model.
  expect(STEPS.filter((step) => !(getAnswerForm(step) in STEP_ANSWERS))).toEqual(['recall']);
});
