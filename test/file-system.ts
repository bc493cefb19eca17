import files from 'node:fs';

export const NFS = 0x6969;
/** APFS or ext4. */
export const LOCAL = process.platform === 'darwin' ? 0x1a : 0xef53;

/** Makes every folder seem to be on a file system of this type, until the mocks are restored. */
export function useFileSystem(type: number): void {
  const space = { bsize: 4_096, blocks: 1, bfree: 1, bavail: 1, files: 1, ffree: 1, frsize: 4_096 };
  jest.spyOn(files, 'statfsSync').mockReturnValue({ type, ...space });
}
