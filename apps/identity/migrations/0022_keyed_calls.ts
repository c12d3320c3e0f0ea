export { createKeyedCalls as up } from '@platform-backend/postgres';
