import * as z from 'zod';

/** Career levels for templates (paper, table 5; spelled as in the reference program). */
export const CAREER_LEVELS = [
  'entry-level/beginner/junior/novice',
  'mid-level/intermediate/experienced/associate',
  'senior-level/advanced/lead/expert',
] as const;

/** The Big Five (paper, table 5); a template holds two different ones, each High or Low. */
export const PERSONALITY_TRAITS = [
  'Openness to Experience',
  'Conscientiousness',
  'Extroversion',
  'Agreeableness',
  'Neuroticism',
] as const;

/** Schwartz's basic values (paper, table 5). */
export const PERSONAL_VALUES = [
  'Self-Direction',
  'Achievement',
  'Universalism',
  'Power',
  'Stimulation',
  'Benevolence',
  'Security',
  'Tradition',
  'Conformity',
  'Hedonism',
] as const;

/** Decision-making styles (paper, table 5). */
export const DECISION_MAKING_STYLES = ['Analytical', 'Directive', 'Conceptual', 'Behavioral'] as const;

/** Attributes drawn for a persona before any model is asked. Ids count from 1, without gaps. */
export const personaTemplateSchema = z.object({
  id: z.number().int().positive(),
  seed: z.string().min(1),
  career_level: z.enum(CAREER_LEVELS),
  /** `High X` or `Low X` for two different traits X. */
  personality_traits: z.tuple([z.string(), z.string()]),
  personal_values: z.tuple([z.enum(PERSONAL_VALUES), z.enum(PERSONAL_VALUES)]),
  decision_making_styles: z.enum(DECISION_MAKING_STYLES),
});
export type PersonaTemplate = z.infer<typeof personaTemplateSchema>;

/** The model's additions to a template. */
export const personaDescriptionSchema = z.object({
  description: z.string().trim().min(1),
  occupation: z.string().trim().min(1),
});
export type PersonaDescription = z.infer<typeof personaDescriptionSchema>;

/** A persona with its description. The drawn attributes are empty if the run was given the description. */
export const personaSchema = z.object({
  id: z.number().int().positive(),
  seed: z.string(),
  career_level: z.string(),
  personality_traits: z.array(z.string()),
  personal_values: z.array(z.string()),
  decision_making_styles: z.string(),
  ...personaDescriptionSchema.shape,
});
export type Persona = z.infer<typeof personaSchema>;

/** A persona at the beginning of a run: a template for a model to describe, or a described persona. */
export const plannedPersonaSchema = z.union([personaSchema, personaTemplateSchema]);
export type PlannedPersona = PersonaTemplate | Persona;

export function isDescribed(persona: PlannedPersona): persona is Persona {
  return 'description' in persona;
}

/** Returns true for a persona that a model has to describe. */
export function isTemplate(persona: PlannedPersona): persona is PersonaTemplate {
  return !isDescribed(persona);
}
