import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { toPlainTimestamp } from '../../model/timestamps.ts'
import { listUsers, type User } from '../../store/users.ts'
import type { Access } from '../access/access.ts'
import { admins } from '../access/caller.ts'
import { addUser, changeUser, getUser, removeUser } from '../access/user-accounts.ts'
import { type ListDefinition, listQuerySchema, pageOf, readListQuery } from '../list-query.ts'
import { listPage } from '../list-reply.ts'
import { Nothing, strict, Uuid } from '../schemas.ts'
import { NewPassword, Role, UserSchema } from './auth-schemas.ts'

const tags = ['Users']
const config = { roles: admins }

const userList: ListDefinition = {
  filter: { id: 'uuid', email: 'string', name: 'string', role: 'string', isEnabled: 'boolean', createdOn: 'date' },
  orderBy: ['createdOn', 'id', 'email', 'name', 'role', 'isEnabled'],
}

/** The users of the caller's instance, for admins. */
export function userRoutes(access: Access): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get('/users', { config, schema: listSchema }, async (request, reply) => {
      const list = readListQuery(request.query, userList)
      const { users, total } = await listUsers(access.database, request.caller.instanceId, list)
      return listPage(reply, list, users.map(toUserAnswer), total)
    })

    app.post('/users', { config, schema: createSchema }, async (request, reply) =>
      reply.code(201).send(toUserAnswer(await addUser(access, request.caller, request.body))),
    )

    app.get('/users/:userId', { config, schema: readSchema }, async (request) =>
      toUserAnswer(await getUser(access.database, request.caller.instanceId, request.params.userId)),
    )

    app.put('/users/:userId', { config, schema: changeSchema }, async (request) =>
      toUserAnswer(await changeUser(access, request.caller, request.params.userId, request.body)),
    )

    app.delete('/users/:userId', { config, schema: deleteSchema }, async (request, reply) => {
      await removeUser(access, request.caller, request.params.userId)
      return reply.code(204).send(null)
    })
  }
}

export function toUserAnswer(user: User) {
  const { id, email, name, role, isEnabled, twoStep, createdOn, updatedOn } = user
  return {
    id,
    email,
    name,
    role,
    isEnabled,
    twoStepVerify: twoStep,
    createdOn: toPlainTimestamp(createdOn),
    updatedOn: toPlainTimestamp(updatedOn),
  }
}

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', examples: ['Avery Tremblay'] })
const params = strict({ userId: Uuid })

const listSchema = {
  tags,
  operationId: 'listUsers',
  summary: 'All users of the instance',
  querystring: listQuerySchema(userList),
  response: { 200: pageOf(UserSchema) },
}

const createSchema = {
  tags,
  operationId: 'createUser',
  summary: 'Add a user',
  body: strict({
    email: Type.String({ format: 'email', maxLength: 320, examples: ['avery@example.com'] }),
    name: Name,
    role: Role,
    password: NewPassword,
  }),
  response: { 201: UserSchema },
}

const readSchema = { tags, operationId: 'getUser', summary: 'One user', params, response: { 200: UserSchema } }

const changeSchema = {
  tags,
  operationId: 'changeUser',
  summary: 'Change a user',
  description: 'A new role, a new password and being disabled end the sessions of the user. The last admin stays one (409).',
  params,
  body: strict({ name: Name, role: Role, isEnabled: Type.Boolean(), password: Type.Optional(NewPassword) }),
  response: { 200: UserSchema },
}

const deleteSchema = {
  tags,
  operationId: 'deleteUser',
  summary: 'Delete a user',
  params,
  response: { 204: Nothing },
}
