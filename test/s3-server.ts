import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, mkdirSync, readdirSync, rmSync, type Dirent } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isMissing } from '../data/store/system-error';
import { getPart } from './parts/needing';
import { findOwnPort } from './ports';

const KEYS = { access: 'test-key', secret: 'test-secret' };

/** A real S3-compatible server on this machine, with one bucket, which can be stopped and started again. */
export class S3Server {
  readonly bucket = 'cupid-test';
  readonly #root = mkdtempSync(join(tmpdir(), 'cupid-s3-'));
  #port = 0;
  #process: ChildProcess | undefined;

  /** Returns the variables with which AWS's clients find it. */
  get environment(): Record<string, string> {
    return {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${this.#port}`,
      AWS_ACCESS_KEY_ID: KEYS.access,
      AWS_SECRET_ACCESS_KEY: KEYS.secret,
      AWS_REGION: 'us-east-1',
    };
  }

  async start(): Promise<void> {
    mkdirSync(join(this.#root, this.bucket), { recursive: true });
    if (this.#port === 0) this.#port = await findOwnPort();
    const program = getPart('storage');
    this.#process = spawn(
      program,
      [
        '--port',
        `127.0.0.1:${this.#port}`,
        '--access',
        KEYS.access,
        '--secret',
        KEYS.secret,
        '--quiet',
        '--keep-alive',
        'posix',
        this.#root,
      ],
      { stdio: 'ignore' },
    );
    const failed = once(this.#process, 'error').then(([error]) => {
      throw new Error(`${program} cannot be started (${error}). Delete it, and run the tests again.`);
    });
    await Promise.race([failed, this.#untilAnswers()]);
  }

  async stop(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Lists the names of all objects below a prefix. */
  listObjects(prefix: string): string[] {
    return this.#listFiles()
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name).slice(join(this.#root, this.bucket).length + 1))
      .filter((name) => name.startsWith(prefix))
      .toSorted();
  }

  #listFiles(): Dirent[] {
    for (;;) {
      try {
        return readdirSync(join(this.#root, this.bucket), { recursive: true, withFileTypes: true });
      } catch (error) {
        // The server removes a directory with its last object, even during this read.
        if (!isMissing(error)) throw error;
      }
    }
  }

  async #untilAnswers(): Promise<void> {
    for (;;) {
      const answers = await fetch(`http://127.0.0.1:${this.#port}/`).then(
        () => true,
        () => false,
      );
      if (answers) return;
      await wait(50);
    }
  }
}
