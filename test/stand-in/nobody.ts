/**
 * Address without a server on this machine. Its port is below those that the system assigns to programs that request any, such as the
 * servers of concurrent tests.
 */
export const NOBODY = '127.0.0.1:2';
