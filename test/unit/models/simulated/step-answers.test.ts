import { formOf, STEPS } from '../../../../schemas/step';
import { STEP_ANSWERS } from '../../../../models/simulated/step-answers';

test('every step has a simulated answer, its own or that of the step whose form it shares', () => {
  expect(formOf('decompose')).toBe('checklist');
  expect(STEPS.filter((step) => !(formOf(step) in STEP_ANSWERS))).toEqual([]);
});
