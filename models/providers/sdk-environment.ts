/**
 * Opens an SDK's client while the process has no environment variables. The SDKs read keys, base URLs, headers and log
 * levels from it by themselves: OPENAI_CUSTOM_HEADERS would be sent to every `openai-compatible:` server. A client
 * gets only what its adapter passes.
 */
export function runWithoutEnvironment<Client>(open: () => Client): Client {
  const { env } = process;
  process.env = {};
  try {
    return open();
  } finally {
    process.env = env;
  }
}
