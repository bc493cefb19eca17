import * as z from 'zod';

/** One message of a dialogue, in the published form (`role`, `content`). */
export const messageSchema = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
});
export type Message = z.infer<typeof messageSchema>;

/** A message from any source; without content where the reference program got no answer. */
export const messageFormSchema = messageSchema.extend({
  role: z.string(),
  content: messageSchema.shape.content.nullable(),
});
export type MessageForm = Readonly<z.infer<typeof messageFormSchema>>;
