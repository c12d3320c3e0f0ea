// Runs once, when the server's data folder is made: two users for each service that keeps its documents here, known to
// its own database alone.

/** The owner makes indexes and says what documents have to be; the running service can read and write documents and nothing else. */
function createForService(name) {
  const database = db.getSiblingDB(name);
  const passwordOf = (user) => process.env[`${name.toUpperCase()}_${user}_PASSWORD`];
  database.createRole({
    role: 'documents',
    privileges: [
      {
        resource: { db: name, collection: '' },
        actions: ['find', 'insert', 'update', 'remove', 'listCollections', 'listIndexes'],
      },
    ],
    roles: [],
  });
  database.createUser({ user: `${name}_owner`, pwd: passwordOf('OWNER'), roles: ['readWrite', 'dbAdmin'] });
  database.createUser({ user: `${name}_app`, pwd: passwordOf('APP'), roles: ['documents'] });
}

createForService('content');
