export { createKeyedCalls as up } from '@platform/postgres';
