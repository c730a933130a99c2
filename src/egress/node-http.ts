/**
 * `node:http` for what runs. NOTE an ES import of the module reads all that it exports, also `WebSocket`, for which Node
 * loads its own copy of undici: 5 MB of memory that nobody here uses.
 * Source: https://nodejs.org/api/esm.html#builtin-modules
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
