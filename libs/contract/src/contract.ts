import type { ServiceDefinition } from '@grpc/grpc-js';
import type protobuf from 'protobufjs';
import { requestChecks, type RequestCheck } from './checks/request-check.ts';
import { grpcDefinitions } from './definitions.ts';
import { protoImage } from './image.ts';
import { loadProtos, protosDirectory } from './load.ts';
import { readOperations, type Operation } from './operations.ts';

/** Everything the .proto files say, read once at start. */
export interface Contract {
  /** The loaded files; field names in snake_case, enum values short (`OWNER`, `active`). */
  readonly root: protobuf.Root;
  /** Every rpc, in the order of the files. */
  readonly operations: readonly Operation[];
  /** The operation with this id; throws when there is none. */
  readonly operation: (id: string) => Operation;
  /** The gRPC definition of a service by its full name; throws when there is none. */
  readonly serviceDefinition: (service: string) => ServiceDefinition;
  /** The check of an operation's requests, by its gRPC path; throws when there is no such operation. */
  readonly requestCheck: (grpcPath: string) => RequestCheck;
  /** The original FileDescriptorProto of every file, for reflection; imports before importers. */
  readonly protoImage: () => readonly Uint8Array[];
}

/**
 * Reads the platform's .proto files, synchronously. A second call with the same directory
 * answers the same contract. Throws one clear sentence when an rpc is incomplete.
 */
export function loadContract(directory: string = protosDirectory()): Contract {
  const known = contracts.get(directory);
  if (known) return known;
  const contract = contractOf(loadProtos(directory));
  contracts.set(directory, contract);
  return contract;
}

const contracts = new Map<string, Contract>();

/** The contract that loaded files make. */
export function contractOf(root: protobuf.Root): Contract {
  const operations = readOperations(root);
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  const operation = (id: string): Operation => {
    const found = byId.get(id);
    if (!found) throw new Error(`the contract has no operation ${id}`);
    return found;
  };
  const { service, decode } = grpcDefinitions(root);
  const checkOf = requestChecks(decode);
  return {
    root,
    operations,
    operation,
    serviceDefinition: service,
    requestCheck: (grpcPath) => checkOf(operation(grpcPath.slice(1))),
    protoImage,
  };
}
