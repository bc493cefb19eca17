import type { WorkflowInfo } from '@temporalio/workflow';
import type { WorkflowEvent } from '../../schemas/run/workflow-event';
import type { RunListener } from '../../activities/run-events';

/** A workflow that reports. */
export type ReportingWorkflow = Pick<WorkflowInfo, 'workflowId' | 'runId' | 'workflowType' | 'startTime'>;

export interface Traces {
  /** Follows the calls of a run. */
  listen(run: string): RunListener;
  reported(workflow: ReportingWorkflow, event: WorkflowEvent): void;
  /** Sends what was not sent yet. */
  close(): Promise<void>;
}

/** True when the environment asks for traces: OpenTelemetry's own variables, so that nothing of it is loaded without them. */
export function isTracing(environment: NodeJS.ProcessEnv): boolean {
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  const exporter = environment['OTEL_TRACES_EXPORTER'];
  if (exporter !== undefined && exporter !== '') return exporter !== 'none';
  return ENDPOINTS.some((name) => (environment[name] ?? '') !== '');
}

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
