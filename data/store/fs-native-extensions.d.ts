/** The part of the package that this program uses; it brings no types of its own. */
declare module 'fs-native-extensions' {
  /** Requests a lock on an open file; false while another open file description holds one that excludes it. */
  export function tryLock(fd: number, options?: { readonly shared?: boolean }): boolean;
}
