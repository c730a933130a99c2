import { type TSchema, Type } from 'typebox'

/* Members of the API's responses that the commands read; others are printed with `--json`. */

const OptionalText = Type.Union([Type.String(), Type.Null()])

export const CompanyShape = Type.Object({
  id: Type.String(),
  name: Type.String(),
  country: Type.String(),
  city: Type.String(),
  createdOn: Type.String(),
  externalId: OptionalText,
})

export const ServiceShape = Type.Object({
  id: Type.String(),
  name: Type.String(),
  title: Type.String(),
  category: Type.String(),
  isEnabled: Type.Boolean(),
})

export const ConnectionShape = Type.Object({
  sessionId: Type.String(),
  companyId: Type.String(),
  serviceId: Type.String(),
  serviceName: Type.String(),
  parentServiceName: OptionalText,
  category: Type.Union([Type.Literal('Accounting'), Type.Literal('Banking')]),
  statusCode: Type.Integer(),
  statusName: Type.String(),
  lastUpdatedOn: Type.String(),
  isCurrent: Type.Boolean(),
  fault: OptionalText,
})

export const SimulatorShape = Type.Object({
  key: Type.String(),
  faults: Type.Array(Type.String()),
  armed: Type.Array(Type.Object({ name: Type.String(), times: Type.Integer() })),
  clockMovedSeconds: Type.Integer(),
})

export const pageOf = <T extends TSchema>(item: T) => Type.Object({ data: Type.Array(item) })
