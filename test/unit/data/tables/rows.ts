import type { Instance } from '../../../../schemas/dataset/instance';
import type { Provenance } from '../../../../schemas/dataset/provenance';
import type { PersonaRecord } from '../../../../schemas/dataset/record';

// Rows with everything that breaks readers: all kinds of text, empty lists, absent and null values.

const TEXTS = [
  'plain',
  '',
  'two\nlines\r\nand a\ttab',
  'quotes " \' ` and a back\\slash, {braces}, <tags>, 50 %',
  'Zürich, Ελλάδα, Київ, 東京, العربية, हिन्दी',
  '😀 👩‍👩‍👧‍👦 🏳️‍🌈 \u{10ffff}',
  'e\u0301 is not \u00e9; \u0000 and \u0007 and \ufeff stay',
  'null',
  'long '.repeat(20_000),
];

export function buildInstanceRow(number: number): Instance {
  return instanceOf(number, 0, textOf);
}

/** Builds a row without findings: no list is empty, and only some texts of the assistant are. */
export function buildSoundInstance(number: number): Instance {
  const { prior_interactions: interactions, ...row } = instanceOf(number, 1, (at) => pick(SOUND_TEXTS, at));
  return {
    ...row,
    prior_interactions: interactions.map((interaction) => ({
      ...interaction,
      dialogue: interaction.dialogue.map((message, turn) =>
        turn === 1 ? { ...message, content: '' } : message,
      ),
    })),
  };
}

/** @param least number of entries in each list */
function instanceOf(number: number, least: number, text: (number: number) => string): Instance {
  return {
    persona_id: `${number}+real_estate_developer`,
    instance_type: pick(['consistent', 'contrastive', 'changing'], number),
    current_request: text(number),
    current_context_factor: text(number + 1),
    current_contextual_preference: text(number + 2),
    current_checklist: Array.from({ length: least + (number % 4) }, (_, index) => text(number + index)),
    prior_interactions: Array.from({ length: least + (number % 3) }, (_, index) => ({
      context_factor: text(index),
      contextual_preference: text(number + index),
      dialogue: Array.from({ length: least + ((number + index) % (3 + least)) }, (_unused, turn) => ({
        role: pick(['user', 'assistant'], turn),
        content: text(number + turn),
      })),
    })),
  };
}

/** Texts with surrounding spaces, and short lines, among the others. */
const SOUND_TEXTS = [
  ...TEXTS.filter((text) => text.trim() !== '' && text.length < 1_000),
  ' spaces \n around ',
  'long '.repeat(2_000),
];

export function recordRow(number: number): PersonaRecord {
  return {
    persona_id: `${number}+baker`,
    persona: {
      id: number + 1,
      seed: textOf(number),
      career_level: 'senior-level/advanced/lead/expert',
      personality_traits: ['High Extroversion', 'Low Neuroticism'],
      personal_values: ['Power', 'Security'],
      decision_making_styles: 'Analytical',
      description: textOf(number + 3),
      occupation: textOf(number + 4),
    },
    context_factors: Array.from({ length: number % 3 }, (_, index) => ({
      factor_type: 'Event/Time',
      background: textOf(index),
      factor: textOf(number + index),
      task_types: index === 0 ? [] : ['Planning', 'Writing & editing'],
      preference_type: 'Tone',
      preference: textOf(number),
      related_factor: 'N/A',
    })),
    sessions: Array.from({ length: number % 4 }, (_, index) => ({
      id: index + 1,
      context_factor: textOf(index),
      preference: textOf(index + 1),
      task_type: 'Planning',
      story: textOf(number + index),
      request_with_factor_and_preference: textOf(number),
      request_with_factor: textOf(number + 1),
      ...(index % 2 === 0 && { resource: textOf(number) }),
      checklist: ['Is it short?'],
    })),
    interactions: Array.from({ length: number % 2 }, (_, index) => ({
      session_id: index + 1,
      preference: textOf(number),
      checklist: [],
      chat: [
        { role: 'user', content: textOf(number) },
        { role: 'assistant', content: textOf(number + 1) },
      ],
      is_satisfied: number % 3 === 0,
    })),
  };
}

export function buildProvenanceRow(number: number): Provenance {
  return {
    persona_id: `${number}+baker`,
    instance_type: 'changing',
    run: textOf(number),
    workflow_id: `run/p${number}`,
    simulated: number % 2 === 0,
    seed: 2 ** 31 - 1,
    seed_sentence: textOf(number),
    prior_sessions: [1, 2, 5].slice(number % 4),
    unsatisfied_sessions: [],
    disagreements: 0 - number,
    synthesis_model: 'simulated:default',
    user_model: 'simulated:default',
    assistant_model: 'simulated:default',
    answered_by: ['a', textOf(number)],
    prompts_hash: 'abc',
    code_version: '0.1.0',
    calls: Number.MAX_SAFE_INTEGER,
    bad_answers: 0,
    separated_answers: 0,
    input_tokens: number % 3 === 0 ? null : number * 1e9,
    output_tokens: null,
  };
}

export function buildNumbered<Row>(count: number, row: (number: number) => Row): Row[] {
  return Array.from({ length: count }, (_, number) => row(number));
}

function textOf(number: number): string {
  return pick(TEXTS, number);
}

/** Picks one of the options in turn. */
export function pick<Option>(options: readonly Option[], number: number): Option {
  const option = options[number % options.length];
  if (option === undefined) throw new Error('There is nothing to pick from.');
  return option;
}
