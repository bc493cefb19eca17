import type { AnswerPairRow, ChatRow, ResponsePairRow, TurnRow } from '../../schemas/training/training';

/** Description of rows for their card. */
export interface RowDescription<Row> {
  readonly title: string;
  readonly tag: string;
  readonly text: string;
  readonly columns: Readonly<Record<keyof Row & string, string>>;
}

const PERSONA = 'the persona that the user simulator played';
const SESSION = "number of the session in the persona's journey, from 1";
const STALE = 'true if a later session has another preference for the same context factor';

export const TURNS: RowDescription<TurnRow> = {
  title: 'Judged answers of an assistant',
  tag: 'turns',
  text:
    'Each row is an answer of an assistant in a simulated dialogue (CUPID, [arXiv:2508.01674](https://arxiv.org/abs/2508.01674), ' +
    'appendix B.4). The simulated user has a preference that it does not state. It judges each answer by a checklist, and a score of 10 ends the dialogue.',
  columns: {
    persona_id: PERSONA,
    session: SESSION,
    turn: 'number of the answer in its dialogue, from 1',
    prompt: 'the dialogue before the answer',
    completion: 'the answer, as a list of one message',
    score:
      "the user's score, 1 to 10; null for the last answer of a dialogue without a score of 10, which was not judged",
    checklist: "the items of the user's preference",
    satisfied: 'items that the user called satisfied; null if it did not judge each item',
    raised: "items that the user's next message refers to, which may be satisfied; null if there is none",
    stale: STALE,
  },
};

export const CHATS: RowDescription<ChatRow> = {
  title: 'Chats for supervised fine-tuning',
  tag: 'sft',
  text:
    'Each row is a chat that ends with the message to learn (CUPID, [arXiv:2508.01674](https://arxiv.org/abs/2508.01674)). Train on that message ' +
    'only, because the answers before it were rejected. Rows of the kind ' +
    '`assistant` are dialogues up to the answer that the simulated user scored with 10. Rows of the kind `inference` ask for the preference about a ' +
    "request, with the evaluation's built-in prompt and the history of an instance. The answer is the true preference in the last section that the prompt asks for.",
  columns: {
    kind: '`assistant` or `inference`',
    persona_id: PERSONA,
    session: `${SESSION}; null for \`inference\``,
    instance_type: 'type of the instance; null for `assistant`',
    messages: 'the chat',
  },
};

export const ANSWER_PAIRS: RowDescription<AnswerPairRow> = {
  title: 'Preferred and rejected answers of an assistant',
  tag: 'preference-pairs',
  text:
    'Each row is a pair of answers to the opening request of a simulated dialogue (CUPID, [arXiv:2508.01674](https://arxiv.org/abs/2508.01674), ' +
    'appendix B.4). The chosen answer ended the dialogue with a score of 10; the rejected one came before and has a lower score. The messages in ' +
    'which the user asked for changes are left out, so a chosen answer may refer to them.',
  columns: {
    prompt: 'the opening request',
    chosen: 'the answer with a score of 10',
    rejected: 'an earlier answer',
    chosen_score: 'score of the chosen answer',
    rejected_score: 'score of the rejected answer, 1 to 9',
    persona_id: PERSONA,
    session: SESSION,
    chosen_turn: 'number of the chosen answer in its dialogue, from 1',
    rejected_turn: 'number of the rejected answer in its dialogue, from 1',
    stale: STALE,
  },
};

export const RESPONSE_PAIRS: RowDescription<ResponsePairRow> = {
  title: 'Preferred and rejected responses of models',
  tag: 'preference-pairs',
  text:
    'Each row is a pair of responses of two models to the same prompt of an evaluation (CUPID, ' +
    '[arXiv:2508.01674](https://arxiv.org/abs/2508.01674), section 2.2). A judge model scored how far each satisfies the preference of the user, ' +
    'which only the context `preference` shows.',
  columns: {
    prompt: 'the prompt that both models were asked with',
    chosen: 'the response with the higher score',
    rejected: 'the response with the lower score',
    chosen_score: 'score of the chosen response, 1 to 10',
    rejected_score: 'score of the rejected response, 1 to 10',
    persona_id: PERSONA,
    instance_type: 'type of the instance',
    context: 'history that the prompt shows: `full`, `oracle`, `none`; or `preference` without history',
    judge: 'the model that scored both responses',
    chosen_model: 'the model that wrote the chosen response',
    rejected_model: 'the model that wrote the rejected response',
  },
};
