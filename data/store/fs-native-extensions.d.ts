/** Types of the functions that this program uses, because the package has none. */
declare module 'fs-native-extensions' {
  /** Requests a lock on an open file; false while another open file description holds a conflicting one. */
  export function tryLock(fd: number, options?: { readonly shared?: boolean }): boolean;
}
