import type { ModelRequest } from '../model';
import type { Random } from '../../rules/sampling/random';
import type { Step } from '../../schemas/run/step';
import { answerAssistant } from './answers/assistant';
import { answerChecklist } from './answers/checklist';
import { answerDescribe } from './answers/describe';
import {
  answerClassify,
  answerInfer,
  answerJudge,
  answerMatch,
  answerRespond,
  answerSummarize,
} from './answers/evaluation';
import { answerFactors } from './answers/factors';
import { answerJourney } from './answers/journey';
import { answerUser } from './answers/user';
import { answerContradict, answerExpress, answerGuess } from './answers/verification';

/** How each step is answered, or the one whose form its answers have. */
export const STEP_ANSWERS: Readonly<
  Partial<Record<Step, (request: ModelRequest, random: Random) => string>>
> = {
  describe: answerDescribe,
  factors: answerFactors,
  journey: answerJourney,
  checklist: answerChecklist,
  assistant: answerAssistant,
  user: answerUser,
  summarize: answerSummarize,
  infer: answerInfer,
  match: answerMatch,
  respond: answerRespond,
  judge: answerJudge,
  classify: answerClassify,
  express: answerExpress,
  guess: answerGuess,
  contradict: answerContradict,
};
