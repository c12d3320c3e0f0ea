import type { ServiceDefinition } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import { conditionRead, type ConditionRead } from './checks/condition-read.ts';
import { requestChecks, type RequestCheck, type StreamCheck } from './checks/request-check.ts';
import { grpcDefinitions } from './definitions.ts';
import { filesOfDomain, type DomainContract } from './domain-contract.ts';
import { readEvents, type EventDefinition } from './events.ts';
import type { PermissionLevel } from './generated/options.ts';
import { protoImage } from './image.ts';
import { fileOfService, loadProtos, protosDirectory } from './load.ts';
import { readOperations, type Operation } from './operations.ts';
import { areasOf, levelsPassingRequestLimit } from './options/access-options.ts';

/** Everything the .proto files say, read once at start. */
export interface Contract {
  /** The loaded files; field names in snake_case, enum values short (`OWNER`, `active`). */
  readonly root: protobuf.Root;
  /** Every rpc, in the order of the files. */
  readonly operations: readonly Operation[];
  /** What is published, in the order of the files. */
  readonly events: readonly EventDefinition[];
  /** The operation with this id; throws when there is none. */
  readonly operation: (id: string) => Operation;
  /** The areas of all domains, which the scopes of API keys name. */
  readonly areas: ReadonlySet<string>;
  /** People of these levels are counted and warned, but no used-up limit of requests stops them. */
  readonly levelsPassingRequestLimit: ReadonlySet<PermissionLevel>;
  /** The gRPC definition of a service by its full name; throws when there is none. */
  readonly serviceDefinition: (service: string) => ServiceDefinition;
  /** The check of an operation's requests, by its gRPC path; throws when there is no such operation. */
  readonly requestCheck: (grpcPath: string) => RequestCheck;
  /** The same for an operation with a stream of requests. */
  readonly streamCheck: (grpcPath: string) => StreamCheck;
  /** How what an operation changes is read by the one at this gRPC path, to compare it with `If-Match`. */
  readonly conditionRead: (grpcPath: string) => ConditionRead;
  /** The original FileDescriptorProto of every file, for reflection; imports before importers. */
  readonly protoImage: () => readonly Uint8Array[];
}

/**
 * Reads the .proto files of domains, synchronously. Asked for the same domains again it answers the same contract.
 * Throws one clear sentence when an rpc is incomplete.
 */
export function loadContract(...domains: readonly [DomainContract, ...DomainContract[]]): Contract {
  const names = domains.map(({ domain }) => domain).sort();
  const known = contracts.get(names.join());
  if (known) return known;
  const contract = contractOf(loadProtos(protosDirectory, names.flatMap(filesOfDomain)), domains);
  contracts.set(names.join(), contract);
  return contract;
}

/**
 * What whoever calls one service of a domain needs of its contract: the file that declares the service, and those which that one
 * imports. A process starts sooner with it than with the whole domain. Throws when the domain has no such service.
 */
export function loadServiceContract(domain: DomainContract, service: string): Contract {
  const known = contracts.get(service);
  if (known) return known;
  const contract = contractOf(loadProtos(protosDirectory, [fileOfService(domain.domain, service)]), [domain]);
  contracts.set(service, contract);
  return contract;
}

const contracts = new Map<string, Contract>();

/** The contract that loaded files make. Of other domains, whose messages may be used, it has no operations and no events. */
export function contractOf(root: protobuf.Root, domains?: readonly DomainContract[]): Contract {
  const names = domains && new Set(domains.map(({ domain }) => domain));
  const isOurs = ({ domain }: { readonly domain: string }): boolean => names?.has(domain) ?? true;
  const operations = readOperations(root).filter(isOurs);
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const operation = (id: string): Operation => {
    const found = byId.get(id);
    if (!found) throw new Error(`the contract has no operation ${id}`);
    return found;
  };
  const { service, decode } = grpcDefinitions(root);
  const checks = requestChecks(decode);
  let image: readonly Uint8Array[] | undefined;
  return {
    root,
    operations,
    events: readEvents(root).filter(isOurs),
    operation,
    areas: areasOf(root),
    levelsPassingRequestLimit: levelsPassingRequestLimit(root),
    serviceDefinition: service,
    requestCheck: (grpcPath) => checks.ofCall(operation(grpcPath.slice(1))),
    streamCheck: (grpcPath) => checks.ofStream(operation(grpcPath.slice(1))),
    conditionRead: (grpcPath) => conditionRead(operation(grpcPath.slice(1)), decode),
    protoImage: () => (image ??= protoImage(domains ?? [])),
  };
}
