/**
 * Where nobody listens on this machine: below the ports that the system gives to a program that asks for any, as the servers of the tests
 * beside this one do.
 */
export const NOBODY = '127.0.0.1:2';
