// Preloaded into a command: on exit writes the packages that it loaded as the last line of standard error.
process.on('exit', () => {
  const packages = Object.keys(require.cache).flatMap(
    (file) => /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(file)?.[1] ?? [],
  );
  process.stderr.write(`\n${JSON.stringify([...new Set(packages)].toSorted())}`);
});
