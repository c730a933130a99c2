import { ApiError } from '../../errors/errors.ts'

/** Source: https://www.rfc-editor.org/rfc/rfc7644#section-3.12 */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'
  | 'sensitive'

/** Error response with a detail error keyword of SCIM. */
export class ScimError extends ApiError {
  readonly scimType: ScimType

  constructor(status: number, scimType: ScimType, message: string) {
    super(status, message)
    this.name = 'ScimError'
    this.scimType = scimType
  }
}

export const invalidValue = (message: string): ScimError => new ScimError(400, 'invalidValue', message)
export const invalidSyntax = (message: string): ScimError => new ScimError(400, 'invalidSyntax', message)
export const invalidPath = (message: string): ScimError => new ScimError(400, 'invalidPath', message)
export const taken = (message: string): ScimError => new ScimError(409, 'uniqueness', message)
