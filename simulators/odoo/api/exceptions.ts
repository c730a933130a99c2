/** A Python exception of Odoo, reported differently by each protocol. */
export class OdooException extends Error {
  /** For example `odoo.exceptions.AccessError`. */
  readonly pythonName: string
  /** HTTP status in JSON-2. */
  readonly status: number

  constructor(pythonName: string, status: number, message: string) {
    super(message)
    this.pythonName = pythonName
    this.status = status
  }
}

/** JSON-RPC reports only the exception, JSON-2 the status. Source: odoo/exceptions.py of 19.0 */
export const exceptions = {
  accessDenied: () => new OdooException('odoo.exceptions.AccessDenied', 403, 'Access Denied'),
  /** JSON-2 only. Source: odoo/addons/base/models/ir_http.py of 19.0 */
  invalidKey: () => new OdooException('werkzeug.exceptions.Unauthorized', 401, 'Invalid apikey'),
  accessError: (model: string) =>
    new OdooException('odoo.exceptions.AccessError', 403, `You are not allowed to access '${model}' records.`),
  companies: () => new OdooException('odoo.exceptions.AccessError', 403, 'Access to unauthorized or invalid companies.'),
  sessionExpired: () => new OdooException('odoo.http.SessionExpiredException', 403, 'Session expired'),
  noModel: (model: string, isJson2: boolean) =>
    isJson2
      ? new OdooException('werkzeug.exceptions.NotFound', 404, `the model '${model}' does not exist`)
      : new OdooException('odoo.exceptions.UserError', 422, `Object ${model} doesn't exist`),
  noMethod: (model: string, method: string) =>
    new OdooException('builtins.AttributeError', 404, `The method '${model}.${method}' does not exist`),
  noDatabase: (name: string, isJson2: boolean) =>
    isJson2
      ? new OdooException('werkzeug.exceptions.NotFound', 404, 'The requested URL was not found on the server.')
      : new OdooException('psycopg2.OperationalError', 500, `FATAL:  database "${name}" does not exist`),
  wrongArgument: (message: string) => new OdooException('builtins.ValueError', 500, message),
  unexpectedArgument: (name: string) =>
    new OdooException('werkzeug.exceptions.UnprocessableEntity', 422, `got an unexpected keyword argument '${name}'`),
  internal: () => new OdooException('psycopg2.errors.SerializationFailure', 500, 'could not serialize access due to concurrent update'),
}
