import { clusterChosen, connectCluster } from '../workers/engine';
import { checkProviders } from '../workers/models';
import { CLI_VERSION, compareVersions, installedTemporal, OLDEST_SERVER } from '../workers/temporal-binary';
import { EXIT } from './exit';

interface Finding {
  readonly what: string;
  readonly good: boolean;
  readonly found: string;
  /** What to do about it; absent when there is nothing to do. */
  readonly mend?: string;
}

/** `cupid doctor`: what was found here, and what to do about each. Returns the exit code: 1 when nothing could run. */
export async function doctor(options: { readonly json?: true }): Promise<number> {
  const needed = [node(), await temporal()];
  const findings = [...needed, ...providers()];
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify(findings, null, 2)}\n`
      : findings
          .map(
            ({ what, good, found, mend }) =>
              `${good ? 'ok ' : '-- '} ${what}: ${found}${mend === undefined ? '' : `\n     ${mend}`}\n`,
          )
          .join(''),
  );
  return needed.every(({ good }) => good) ? EXIT.done : EXIT.failed;
}

function node(): Finding {
  const oldest = '20.19.0';
  const found = process.versions.node;
  const good = compareVersions(found, oldest) >= 0;
  return { what: 'Node.js', good, found, ...(good ? {} : { mend: `Install Node.js ${oldest} or newer.` }) };
}

async function temporal(): Promise<Finding> {
  if (clusterChosen(undefined)) {
    try {
      await using cluster = await connectCluster(undefined);
      return { what: 'Temporal', good: true, found: cluster.name };
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      return { what: 'Temporal', good: false, found };
    }
  }
  const passedOver: string[] = [];
  const binary = await installedTemporal(passedOver);
  if (binary !== undefined) {
    return {
      what: 'Temporal server',
      good: true,
      found: `${binary.server}, ${binary.path} (${binary.origin})`,
    };
  }
  return {
    what: 'Temporal server',
    good: true,
    found: ['not installed', ...passedOver].join('; '),
    mend: `The first run downloads it (CLI ${CLI_VERSION}) or, where that fails, builds it with Go. To have it now, install the Temporal CLI with server ${OLDEST_SERVER} or newer.`,
  };
}

function providers(): Finding[] {
  return checkProviders(process.env).map(({ provider, key, problem }) => ({
    what: provider,
    good: problem === undefined,
    found: `key ${key}`,
    ...(problem === undefined ? {} : { mend: problem }),
  }));
}
