import { createProgressRenderer } from '../../../../cli/data-sets/publish';

test('progress is printed when it changes, and not repeated while it is the same', () => {
  const nextLine = createProgressRenderer();
  const uploading = { path: 'test.parquet', doing: 'uploading' } as const;
  expect(nextLine({ ...uploading, share: 0.5 })).toBe('Uploading test.parquet: 50 %');
  expect(nextLine({ ...uploading, share: 1 })).toBe('Uploading test.parquet: 100 %');
  expect(nextLine({ ...uploading, share: 1 })).toBeUndefined();
  expect(nextLine({ phase: 'committing' })).toBe('Committing …');
  expect(nextLine({ phase: 'committing' })).toBeUndefined();
});
