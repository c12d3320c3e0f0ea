/** The baseline's gRPC hop to identity: grpc-js and @grpc/proto-loader as their documentation shows them. */
import {
  credentials,
  loadPackageDefinition,
  Metadata,
  status,
  type CallOptions,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { ClientGroupMessage, OrganisationMessage } from './shapes.ts';

const PROTOS = new URL('../../../protos', import.meta.url).pathname;
const DEADLINE_MS = 10_000;

/** A refusal to pass on, with its HTTP status. */
export class RemoteFailure extends Error {
  readonly status: number;
  constructor(httpStatus: number, message: string) {
    super(message);
    this.status = httpStatus;
  }
}

export type ResolvedCallerMessage = {
  user_id: string;
  user_name: string;
  user_email: string;
  email_verified: boolean;
  organisation_id: string;
  level: string;
};

type Call<Request, Answer> = (request: Request, assertion: string, requestId: string) => Promise<Answer>;

export type IdentityClient = {
  resolveUser: Call<Record<string, unknown>, ResolvedCallerMessage>;
  createClientGroup: Call<{ name: string; description: string }, ClientGroupMessage>;
  getClientGroup: Call<{ group_id: string }, ClientGroupMessage>;
  getCurrentOrganisation: Call<Record<string, never>, OrganisationMessage>;
};

type UnaryMethod = (
  request: object,
  metadata: Metadata,
  options: CallOptions,
  done: (error: ServiceError | null, answer: unknown) => void,
) => void;

export const failure = (error: ServiceError): RemoteFailure => {
  if (error.code === status.NOT_FOUND) return new RemoteFailure(404, error.details);
  if (error.code === status.PERMISSION_DENIED) return new RemoteFailure(403, error.details);
  if (error.code === status.UNAVAILABLE) return new RemoteFailure(503, 'Service unavailable');
  return new RemoteFailure(500, 'Internal Server Error');
};

export const connectIdentity = (address: string): IdentityClient => {
  const files = ['authentication', 'client_groups', 'organisations'].map(
    (name) => `platform/identity/v1/${name}.proto`,
  );
  const loaded = loadSync(files, {
    includeDirs: [PROTOS],
    keepCase: true,
    longs: String,
    enums: String,
    defaults: true,
    oneofs: true,
  });
  const { identity } = loadPackageDefinition(loaded)['platform'] as unknown as {
    identity: { v1: Record<string, new (address: string, security: unknown) => Record<string, UnaryMethod>> };
  };
  const client = (service: string) => {
    const Service = identity.v1[service];
    if (!Service) throw new Error(`no service ${service} in the protos`);
    return new Service(address, credentials.createInsecure());
  };
  const authentication = client('AuthenticationService');
  const groups = client('ClientGroupService');
  const organisations = client('OrganisationService');

  const call =
    <Request extends object, Answer>(service: Record<string, UnaryMethod>, method: string): Call<Request, Answer> =>
    (request, assertion, requestId) =>
      new Promise((resolve, reject) => {
        const metadata = new Metadata();
        metadata.set('caller-assertion', assertion);
        metadata.set('request-id', requestId);
        service[method]?.(request, metadata, { deadline: Date.now() + DEADLINE_MS }, (error, answer) => {
          if (error) reject(failure(error));
          else resolve(answer as Answer);
        });
      });

  return {
    resolveUser: call(authentication, 'resolveUser'),
    createClientGroup: call(groups, 'createClientGroup'),
    getClientGroup: call(groups, 'getClientGroup'),
    getCurrentOrganisation: call(organisations, 'getCurrentOrganisation'),
  };
};
