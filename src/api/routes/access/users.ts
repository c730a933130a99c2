import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import type { Locale } from '../../../model/values/text.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { listUsers, type User } from '../../../store/access/users.ts'
import type { Access } from '../../access/access.ts'
import { inviteAgain, inviteUser } from '../../access/account/invitations.ts'
import { addUser, changeUser, getUser, removeUser } from '../../access/account/user-accounts.ts'
import { admins, type UserCaller } from '../../access/caller.ts'
import { toMailApiError } from '../../errors/mail-errors.ts'
import { route, routes } from '../../http/route.ts'
import { type ListDefinition, listQuerySchema, pageOf, readListQuery } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { NoContent, strict, Uuid } from '../../schemas/schemas.ts'
import type { AccessRouteDeps, RouteDeps } from '../route-deps.ts'
import { NewPassword, Role, UserSchema } from './auth-schemas.ts'

const tags = ['Users']

const userList: ListDefinition = {
  filter: {
    createdOn: 'date',
    updatedOn: 'date',
    emailProvenOn: 'date',
    id: 'uuid',
    email: 'string',
    name: 'string',
    role: 'string',
    isEnabled: 'boolean',
  },
  orderBy: ['createdOn', 'id', 'email', 'name', 'role', 'isEnabled', 'updatedOn', 'emailProvenOn'],
}

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S', examples: ['Avery Tremblay'] })
const params = strict({ userId: Uuid })

const language = Type.Optional(Type.String({ enum: ['en', 'fr'], default: 'en', description: 'Of the invitation' }))
const NewUser = strict(
  {
    email: Type.String({ format: 'email', maxLength: 320, examples: ['avery@example.com'] }),
    name: Name,
    role: Role,
    password: Type.Optional(NewPassword),
    language,
  },
  { title: 'NewUser' },
)
type NewUser = Static<typeof NewUser>

/** Users of the caller's instance, for admins. */
export function userRoutes(deps: RouteDeps, access: Access): FastifyPluginAsyncTypebox {
  return routes({ ...deps, access }, [listUsersRoute, createUserRoute, getUserRoute, changeUserRoute, inviteUserRoute, deleteUserRoute])
}

const listUsersRoute = route(
  {
    method: 'GET',
    url: '/users',
    scope: 'users',
    roles: admins,
    schema: {
      tags,
      operationId: 'listUsers',
      summary: 'All users of the instance',
      querystring: listQuerySchema(userList),
      response: { 200: pageOf(UserSchema) },
    },
  },
  async ({ access }: AccessRouteDeps, request, reply) => {
    const list = readListQuery(request.query, userList)
    const { users, total } = await listUsers(access.database, request.user.instanceId, list)
    return listPage(reply, list, users.map(toUserAnswer), total)
  },
)

const createUserRoute = route(
  {
    method: 'POST',
    url: '/users',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: ['user.created', 'user.invited'],
    schema: {
      tags,
      operationId: 'createUser',
      summary: 'Add a user',
      description:
        'Without a password the user is mailed a link, good for three days, to choose one, which proves the address; 409 where no mail server is set.',
      body: NewUser,
      response: { 201: UserSchema },
    },
  },
  async (deps: AccessRouteDeps, request, reply) => reply.code(201).send(toUserAnswer(await add(deps, request.user, request.body))),
)

const getUserRoute = route(
  {
    method: 'GET',
    url: '/users/:userId',
    scope: 'users',
    roles: admins,
    schema: { tags, operationId: 'getUser', summary: 'One user', params, response: { 200: UserSchema } },
  },
  async ({ access }: AccessRouteDeps, request) =>
    toUserAnswer(await getUser(access.database, request.user.instanceId, request.params.userId)),
)

const changeUserRoute = route(
  {
    method: 'PUT',
    url: '/users/:userId',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'user.changed',
    schema: {
      tags,
      operationId: 'updateUser',
      summary: 'Change a user',
      description: 'A new role, a new password and being disabled end the sessions of the user. The last admin stays one (409).',
      params,
      body: strict({ name: Name, role: Role, isEnabled: Type.Boolean(), password: Type.Optional(NewPassword) }),
      response: { 200: UserSchema },
    },
  },
  async ({ access }: AccessRouteDeps, request) => toUserAnswer(await changeUser(access, request.user, request.params.userId, request.body)),
)

const inviteUserRoute = route(
  {
    method: 'POST',
    url: '/users/:userId/invitation',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'user.invited',
    schema: {
      tags,
      operationId: 'inviteUser',
      summary: 'Mail a user a new link to choose a password',
      description: 'For an address that is not proven yet. Links from before stop working. 409 where no mail server is set.',
      params,
      body: strict({ language }),
      response: { 202: NoContent },
    },
  },
  async (deps: AccessRouteDeps, request, reply) => {
    const { user, params, body } = request
    await inviteAgain(deps.access, invitationsOf(deps), user, params.userId, toLocale(body.language)).catch(refuseMail)
    return reply.code(202).send(null)
  },
)

const deleteUserRoute = route(
  {
    method: 'DELETE',
    url: '/users/:userId',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'user.deleted',
    schema: {
      tags,
      operationId: 'deleteUser',
      summary: 'Delete a user',
      params,
      response: { 204: NoContent },
    },
  },
  async ({ access }: AccessRouteDeps, request, reply) => {
    await removeUser(access, request.user, request.params.userId)
    return reply.code(204).send(null)
  },
)

async function add(deps: AccessRouteDeps, caller: UserCaller, { password, language, ...account }: NewUser): Promise<User> {
  const { access } = deps
  if (password !== undefined) return await addUser(access, caller, { ...account, password })
  return await inviteUser(access, invitationsOf(deps), caller, account, toLocale(language)).catch(refuseMail)
}

function invitationsOf({ sync, settings }: AccessRouteDeps) {
  return { mail: sync.mail, publicUrl: settings.publicUrl }
}

function toLocale(language: string | undefined): Locale {
  return language === 'fr' ? 'fr-CA' : 'en'
}

function refuseMail(error: unknown): never {
  throw toMailApiError(error, 'email')
}

export function toUserAnswer(user: User) {
  const { id, email, name, role, isEnabled, twoStep, isFromProvider, emailProvenOn, createdOn, updatedOn } = user
  return {
    id,
    email,
    name,
    role,
    isEnabled,
    twoStepVerify: twoStep,
    isFromProvider,
    emailProvenOn: emailProvenOn && toPlainTimestamp(emailProvenOn),
    createdOn: toPlainTimestamp(createdOn),
    updatedOn: toPlainTimestamp(updatedOn),
  }
}
