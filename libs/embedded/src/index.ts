export { freePort } from './free-port.ts';
export type { LongStartOptions, StartSign } from './long-start.ts';
export { mongodVersion, startMongod, type Mongod, type MongodOptions } from './mongod.ts';
export { describeMongo, mongoDatabaseUrl } from './mongo-url.ts';
export { startNats, type Nats, type NatsOptions } from './nats.ts';
export { natsBinary } from './nats-binary.ts';
export { startPostgres, type Postgres, type PostgresOptions } from './postgres.ts';
export { isAlive, startTimeOf } from './process-identity.ts';
export {
  createServiceDatabase,
  dropServiceDatabase,
  type ServiceDatabase,
  type ServiceDatabaseRequest,
} from './service-database.ts';
export {
  describeExit,
  endOrphan,
  runToEnd,
  StartFailure,
  supervise,
  type Exit,
  type SupervisedProcess,
  type Supervision,
} from './supervise.ts';
export { unprivilegedUser, type SystemUser } from './system-user.ts';
