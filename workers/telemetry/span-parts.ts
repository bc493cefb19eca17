import type { Attributes } from '@opentelemetry/api';
import { describePlace } from './call-attributes';
import type { CallPlace } from './call-place';
import { omitUndefined } from '../../schemas/omit-undefined';

/** A workflow execution: each has a trace of its own, since that of a whole run would be larger than what backends keep. */
export interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** A part of a workflow execution that has a span. */
export interface SpanPart {
  readonly execution: Execution;
  /** Distinguishes it from the other parts of the execution; the ids of its span are derived from it. */
  readonly id: string;
  /** The id of the part that it belongs to; absent for the root. */
  readonly parent?: string;
  readonly name: string;
  readonly attributes: Attributes;
}

/** The run: the root of each of its traces. */
export function buildRunPart(run: string, execution: Execution): SpanPart {
  return { execution, id: ROOT, name: `run ${run}`, attributes: describeExecution(run, execution) };
}

/** The workflow; undefined for that of the run. @param type of the workflow, such as `persona` */
export function buildWorkflowPart(run: string, execution: Execution, type: string): SpanPart | undefined {
  const { workflowId } = execution;
  if (workflowId === run) return undefined;
  const name = `${type} ${workflowId.slice(run.length + 1)}`;
  return { execution, id: WORKFLOW, parent: ROOT, name, attributes: describeExecution(run, execution) };
}

/** @param dialogue its id */
export function buildDialoguePart(
  run: string,
  execution: Execution,
  { dialogue = '', ...place }: CallPlace,
): SpanPart {
  const { persona, session } = place;
  return {
    execution,
    id: dialogue,
    parent: findWorkflow(run, execution),
    name: `dialogue ${dialogue.slice(run.length + 1)}`,
    attributes: describePlace(run, omitUndefined({ dialogue, persona, session })),
  };
}

/** The turn of a dialogue that a call belongs to; undefined for a call of no dialogue. */
export function buildTurnPart(run: string, execution: Execution, place: CallPlace): SpanPart | undefined {
  const { dialogue, turn = '', revision = 0, attempt: _, ...others } = place;
  if (dialogue === undefined) return undefined;
  const attributes = describePlace(run, { dialogue, turn, revision, ...others });
  return {
    execution,
    id: `${dialogue} g${revision}.t${turn}`,
    parent: dialogue,
    name: `turn ${turn}`,
    attributes,
  };
}

/** The id of the part that calls outside of dialogues belong to. */
export function findWorkflow(run: string, { workflowId }: Execution): string {
  return workflowId === run ? ROOT : WORKFLOW;
}

const ROOT = 'run';
const WORKFLOW = 'workflow';

function describeExecution(run: string, { workflowId, runId }: Execution): Attributes {
  return { 'cupid.run': run, temporalWorkflowID: workflowId, temporalRunID: runId };
}
