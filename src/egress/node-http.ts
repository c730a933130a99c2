/**
 * `node:http` for the running product. NOTE an ES import of the module reads everything that it exports, including
 * `WebSocket`, for which Node loads its own copy of undici: 5 MB of memory for nothing.
 * Source: https://nodejs.org/api/esm.html#builtin-modules
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')

/** `node:https`, loaded where a server has a certificate. */
export function loadHttps(): typeof import('node:https') {
  return process.getBuiltinModule('node:https')
}
