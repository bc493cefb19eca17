import { STUDY_OPTIONS } from '../../../../cli/eval/study-options';
import { formatStudyOption, OPTIONAL_STUDY_KINDS, STUDIES } from '../../../../schemas/evaluation/studies';

test.each(OPTIONAL_STUDY_KINDS)('the command line has the option that asks for %s', (kind) => {
  const option = STUDY_OPTIONS[kind]();
  expect(option.long).toBe(formatStudyOption(kind));
  expect(option.attributeName()).toBe(STUDIES[kind].option);
});
