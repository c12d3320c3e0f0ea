import { propagation, SpanKind, SpanStatusCode, trace, type Attributes, type Span } from '@opentelemetry/api';

/** One call of a database, by what is the same for all calls of its kind: no value and no text of a statement. */
export interface DatabaseCall {
  /** As the semantic conventions of OpenTelemetry name it. */
  readonly system: 'postgresql' | 'mongodb';
  /** Of the database, within its server. */
  readonly namespace: string;
  readonly operation: string;
  /** The table or collection; undefined where it is about none, or about several. */
  readonly collection: string | undefined;
  readonly address: string | undefined;
  readonly port: number | undefined;
}

/** Whether spans of this process go anywhere. Only a process that traces knows fields by which traces go on. */
export const isTraced = (): boolean => propagation.fields().length > 0;

/**
 * Begins the span of a call that is part of a trace; undefined where nothing is traced, and for what nobody has asked for, such as a look
 * at a queue every few seconds.
 */
export function startDatabaseSpan(call: () => DatabaseCall): Span | undefined {
  if (!trace.getActiveSpan()?.isRecording()) return undefined;
  const { system, namespace, operation, collection, address, port } = call();
  const attributes: Attributes = {
    'db.system.name': system,
    'db.namespace': namespace,
    'db.operation.name': operation,
    'db.collection.name': collection,
    'server.address': address,
    'server.port': port,
  };
  const name = collection === undefined ? operation : `${operation} ${collection}`;
  return trace.getTracer('@platform-backend/core').startSpan(name, { kind: SpanKind.CLIENT, attributes });
}

/** Ends it; of a failure with the code that the server has given it, or the name of what went wrong. Its text may hold values. */
export function endDatabaseSpan(
  span: Span,
  failure?: { readonly code: string | number | undefined; readonly name: string },
): void {
  if (failure) {
    const { code, name } = failure;
    if (code !== undefined) span.setAttribute('db.response.status_code', String(code));
    span.setAttribute('error.type', String(code ?? name));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
