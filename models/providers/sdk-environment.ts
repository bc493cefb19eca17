/**
 * Opens an SDK's client while the process has no environment variables, so that it only gets what its adapter passes. The SDKs read keys, base
 * URLs, headers and log levels from there: OPENAI_CUSTOM_HEADERS would be sent to every `openai-compatible:` server.
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
