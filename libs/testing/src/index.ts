export { certificates, type CertificateFiles } from './certificates.ts';
export { jupyterServerLack, startJupyterServer, type JupyterServer } from './jupyter-server.ts';
export { loadedModules, packagesOf } from './loaded-modules.ts';
export { processEnvironment } from './process-environment.ts';
export { hasSharedPrograms, programsDirectory, sharedProgram } from './programs.ts';
export { runDirectory } from './run-directory.ts';
export { sharedServer } from './shared-servers.ts';
export { smallDisk } from './small-disk.ts';
export { repetitions } from './test-length.ts';
export {
  startTestIdentityProvider,
  type SigningAlgorithm,
  type SigningKey,
  type TestIdentityProvider,
  type TestIdentityProviderOptions,
  type TokenRequest,
} from './test-identity-provider.ts';
export { kubernetesLack, throwawayKubernetes, type ThrowawayKubernetes } from './throwaway-kubernetes.ts';
export { throwawayNats, type ThrowawayNats, type ThrowawayNatsOptions } from './throwaway-nats.ts';
export { preparedPostgres, throwawayPostgres, type ThrowawayPostgres } from './throwaway-postgres.ts';
export { lastPass, waitFor, type WaitOptions } from './wait-for.ts';
export { zipArchive, type ZipPart } from './zip-archive.ts';
