import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';

type PackageDefinition = ConstructorParameters<typeof ReflectionService>[0];

/**
 * Adds server reflection (v1 and v1alpha) for the named services.
 *
 * The library looks for descriptors in a package definition, and takes from it nothing else. Those
 * that proto-loader puts there are made up: its files import nothing, so that clients outside
 * JavaScript cannot link them. The original files stand there instead.
 */
export function addReflection(server: Server, files: readonly Uint8Array[], services: readonly string[]): void {
  const definition = { files: { fileDescriptorProtos: files } } as unknown as PackageDefinition;
  new ReflectionService(definition, { services: [...services] }).addToServer(server);
}
