/** URNs of schemas and messages. Source: https://www.rfc-editor.org/rfc/rfc7643#section-10.3 */
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema'
export const RESOURCE_TYPE = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
export const PROVIDER_CONFIG = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'
export const LIST_RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const SEARCH_REQUEST = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** Resources on a page at most, and when the request does not say. */
export const MAX_RESULTS = 200
export const DEFAULT_RESULTS = 100
