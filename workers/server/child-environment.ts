/**
 * Builds the environment of a child process: variables that any program needs, and no keys.
 * @param further matches the names of other variables that this program needs
 */
export function buildChildEnvironment(further?: RegExp): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => BASIC.test(name) || further?.test(name) === true),
  );
}

const BASIC = /^(?:PATH|HOME|TMPDIR|TZ|LANG|LANGUAGE|LC_[A-Z]+)$/;

/**
 * Variables that Go needs to fetch and build a module: its own settings, the C compiler's, cache folders, proxies and certificates. None of
 * Go's own settings has an underscore, unlike GOOGLE_API_KEY.
 */
export const GO_VARIABLES =
  /^(?:GO[A-Z0-9]+|CGO_[A-Z_]+|CC|CXX|XDG_(?:CACHE|CONFIG)_HOME|(?:https?|all|no)_proxy|(?:HTTPS?|ALL|NO)_PROXY|SSL_CERT_(?:FILE|DIR))$/;
