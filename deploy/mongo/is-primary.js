// Succeeds while the server may write; anybody may ask that.
quit(db.hello().isWritablePrimary ? 0 : 1);
