import {
  BedrockClient,
  CreateModelInvocationJobCommand,
  GetModelInvocationJobCommand,
  paginateListModelInvocationJobs,
  StopModelInvocationJobCommand,
} from '@aws-sdk/client-bedrock';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod';
import type { ModelSpec } from '../../schemas/model/model-spec';
import { omitUndefined } from '../../schemas/omit-undefined';
import { parseStream } from '../call';
import { ModelError } from '../errors/error';
import { classifyFailure, type Caller, type ProviderFailure } from '../errors/failure';
import { describeNetworkError, readBodyLines } from '../http';
import { findValue } from '../keys';
import { parseAnswer } from '../parse-answer';
import {
  buildConverseInput,
  findBedrockFailure,
  parseConverseAnswer,
  readBedrockAccess,
} from '../providers/bedrock';
import { createBatchCalls, createEndedState, identifyAccount, readResult } from './calls';
import type { BatchApi, BatchResult, BatchState } from './batch';

/**
 * Opens Bedrock's model invocation jobs, which read requests from S3 and write results there, in the form of Converse. A job's name and token are
 * our id, so Bedrock creates each job only once. Returns undefined if no bucket and role are set; calls are then sent one by one.
 * @throws ModelError `bad-request` when only one of these is set, or the bucket is not an address
 */
export function openBatches(spec: ModelSpec, environment: NodeJS.ProcessEnv): BatchApi | undefined {
  const place = findBatchStorage(environment);
  if (place === undefined) return undefined;
  const { bucket, prefix, roleArn } = place;
  const { settings, storageSettings, caller } = readBedrockAccess(spec, environment);
  const [endpoint, storageEndpoint] = ['BEDROCK', 'S3'].map(
    (service) =>
      findValue(environment, `AWS_ENDPOINT_URL_${service}`) ?? findValue(environment, 'AWS_ENDPOINT_URL'),
  );
  const jobs = new BedrockClient({ ...settings, maxAttempts: 1, ...omitUndefined({ endpoint }) });
  const storage = new S3Client({
    ...storageSettings,
    maxAttempts: 1,
    ...omitUndefined({ endpoint: storageEndpoint }),
    forcePathStyle: storageEndpoint !== undefined,
  });
  const call = createBatchCalls(caller, findJobFailure);
  const get = async (jobIdentifier: string) =>
    parseAnswer(
      jobSchema,
      await call((abortSignal) =>
        jobs.send(new GetModelInvocationJobCommand({ jobIdentifier }), { abortSignal }),
      ),
      'a model invocation job',
    );
  const keyOf = (id: string) => [prefix, id, REQUESTS].filter((part) => part !== '').join('/');
  return {
    most: { requests: 50_000, bytes: 200_000_000 },
    account: identifyAccount(bucket, roleArn, endpoint, ...caller.secrets),
    render(customId, request, parameters) {
      const { modelId: _, ...modelInput } = buildConverseInput(spec.model, request, parameters);
      return JSON.stringify({ recordId: customId, modelInput });
    },
    find: ({ id }) =>
      call(async (abortSignal) => {
        const pages = paginateListModelInvocationJobs(
          { client: jobs },
          { nameContains: toName(id) },
          { abortSignal },
        );
        for await (const { invocationJobSummaries = [] } of pages) {
          const job = invocationJobSummaries.find(({ jobName }) => jobName === toName(id));
          if (job?.jobArn !== undefined) return [job.jobArn];
        }
        return [];
      }),
    async submit({ id, read }) {
      const Body = await read();
      await call((abortSignal) =>
        storage.send(new PutObjectCommand({ Bucket: bucket, Key: keyOf(id), Body }), { abortSignal }),
      );
      const inputUri = `s3://${bucket}/${keyOf(id)}`;
      const created = await call((abortSignal) =>
        jobs.send(
          new CreateModelInvocationJobCommand({
            jobName: toName(id),
            clientRequestToken: toName(id),
            modelId: spec.model,
            roleArn,
            modelInvocationType: 'Converse',
            inputDataConfig: { s3InputDataConfig: { s3Uri: inputUri } },
            outputDataConfig: { s3OutputDataConfig: { s3Uri: inputUri.slice(0, -REQUESTS.length) } },
          }),
          { abortSignal },
        ),
      );
      return parseAnswer(createdSchema, created, 'a model invocation job').jobArn;
    },
    poll: async (arn) => readState(caller, await get(arn)),
    async *results(arn, { id }) {
      // Each job writes into a folder named by its id.
      const Key = keyOf(id).replace(REQUESTS, `${arn.slice(arn.lastIndexOf('/') + 1)}/${REQUESTS}.out`);
      const { status } = await get(arn);
      const Body = await call(async (abortSignal) => {
        try {
          return (await storage.send(new GetObjectCommand({ Bucket: bucket, Key }), { abortSignal })).Body;
        } catch (error) {
          // A stopped job may not have written anything.
          if (error instanceof NoSuchKey && status !== 'Completed') return undefined;
          throw error;
        }
      });
      if (Body === undefined) return;
      const lines = readBodyLines(new Response(Body.transformToWebStream()));
      yield* parseStream(caller, lines, (line) => parseResult(caller, spec.model, line));
    },
    cancel: (jobIdentifier) =>
      call((abortSignal) => jobs.send(new StopModelInvocationJobCommand({ jobIdentifier }), { abortSignal })),
  };
}

const REQUESTS = 'requests.jsonl';

function findBatchStorage(
  environment: NodeJS.ProcessEnv,
): { readonly bucket: string; readonly prefix: string; readonly roleArn: string } | undefined {
  const [address, roleArn] = [
    findValue(environment, 'CUPID_BEDROCK_BATCH_S3'),
    findValue(environment, 'CUPID_BEDROCK_BATCH_ROLE'),
  ];
  if (address === undefined && roleArn === undefined) return undefined;
  const { bucket, prefix = '' } =
    /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]+)(?:\/(?<prefix>.*?))?\/*$/.exec(address ?? '')?.groups ?? {};
  if (bucket === undefined || roleArn === undefined) {
    throw new ModelError(
      'bad-request',
      'Batches of Bedrock need both CUPID_BEDROCK_BATCH_S3, such as s3://my-bucket/cupid, and CUPID_BEDROCK_BATCH_ROLE, the ARN of a role that may read and write there. Set both, or neither.',
    );
  }
  return { bucket, prefix, roleArn };
}

/** Converts an id to a job name, which may not contain underscores. */
function toName(id: string): string {
  return id.replaceAll('_', '-');
}

/** Reads a failure from the SDK's error. The client has no handler for whole answers, so connection errors arrive unwrapped. */
function findJobFailure(error: unknown): ProviderFailure | undefined {
  const failure = findBedrockFailure(error);
  if (failure !== undefined) return failure;
  const isNetworks = error instanceof Error && 'code' in error && typeof error.code === 'string';
  return isNetworks ? describeNetworkError(error) : undefined;
}

const createdSchema = z.object({ jobArn: z.string().min(1) });

const jobSchema = z.object({
  status: z.string(),
  message: z.string().optional(),
  processedRecordCount: z.number().optional(),
});

function readState(
  caller: Caller,
  { status, message, processedRecordCount }: z.infer<typeof jobSchema>,
): BatchState {
  const how = ENDS[status];
  if (how === undefined) {
    return { state: 'waiting', ...omitUndefined({ answers: processedRecordCount }) };
  }
  return createEndedState(caller, how, message);
}

const ENDS: Readonly<Record<string, Extract<BatchState, { state: 'ended' }>['outcome']>> = {
  Completed: 'completed',
  PartiallyCompleted: 'completed',
  Failed: 'failed',
  Stopped: 'cancelled',
  Expired: 'expired',
};

const resultSchema = z.object({
  recordId: z.string(),
  modelOutput: z.unknown().optional(),
  error: z
    .object({ errorCode: z.number().optional(), errorMessage: z.string().optional() })
    .optional()
    .catch({}),
});

function parseResult(caller: Caller, model: string, line: string): BatchResult {
  const {
    recordId: customId,
    modelOutput,
    error,
  } = parseAnswer(resultSchema, JSON.parse(line), 'a line of results');
  if (error === undefined) return readResult(caller, customId, () => parseConverseAnswer(modelOutput, model));
  const { errorCode: status = 500, errorMessage: message = '' } = error;
  return { customId, error: classifyFailure(caller, { status, labels: [], message }) };
}
