/** Decides by the rules of a `.gitattributes` whether a path is kept as LFS. Later rules win. */
export function isLfsPath(attributes: string, path: string): boolean {
  let lfs = false;
  for (const line of attributes.split('\n')) {
    const [pattern = '', ...values] = line.trim().split(/\s+/);
    if (pattern === '' || pattern.startsWith('#')) continue;
    const filter = values.findLast((value) => /^[-!]?filter\b/.test(value));
    if (filter === undefined || !matches(pattern, path)) continue;
    lfs = filter === 'filter=lfs';
  }
  return lfs;
}

/** Formats the line with which the Hub itself marks a path as LFS. */
export function formatLfsLine(path: string): string {
  return `${path.replaceAll(' ', '[[:space:]]')} filter=lfs diff=lfs merge=lfs -text\n`;
}

/** Returns whether a path matches. As in git, a pattern without a slash matches the file's name in any folder. */
function matches(pattern: string, path: string): boolean {
  const subject = pattern.includes('/') ? path : (path.split('/').at(-1) ?? path);
  const expression = pattern
    .replace(/^\//, '')
    .split(/(\*\*\/|\*\*|\*|\?|\[\[:space:\]\])/)
    .map((piece) => WILDCARDS[piece] ?? piece.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`))
    .join('');
  return new RegExp(`^${expression}$`).test(subject);
}

const WILDCARDS: Readonly<Record<string, string>> = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '[[:space:]]': String.raw`\s`,
};

const EXTENSIONS = (
  '7z arrow avro bin bz2 ckpt ftz gz h5 joblib lfs.* lz4 mds mlmodel model msgpack npy npz onnx ot parquet pb pickle pkl pt pth ' +
  'rar safetensors tar.* tar tflite tgz wasm xz zip zst pcm sam raw aac flac mp3 ogg wav bmp gif png tiff jpg jpeg webp mp4 webm'
).split(' ');

/** Content of a new data set's first commit: data and media formats are LFS whatever their size, text is not. */
export const DATASET_GIT_ATTRIBUTES = [
  ...EXTENSIONS.map((extension) => `*.${extension}`),
  'saved_model/**/*',
  '*tfevents*',
]
  .map(formatLfsLine)
  .join('');
