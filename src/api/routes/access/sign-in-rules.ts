import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { findSignInRules } from '../../../store/access/sign-in-rules.ts'
import type { Access } from '../../access/access.ts'
import { changeSignInRules } from '../../access/account/sign-in-rules.ts'
import { admins } from '../../access/caller.ts'
import { route, routes } from '../../http/route.ts'
import { strict } from '../../schemas/schemas.ts'

const tags = ['Users']

const requiresTwoStep = Type.Boolean({
  description: 'Whether members need a second step. Who has none can sign in only to set one up',
})
const RulesShape = strict(
  { requiresTwoStep, membersWithoutTwoStep: Type.Integer({ description: 'Members who may log in and have no second step' }) },
  { title: 'SignInRules' },
)

/** What an instance demands of its members at a sign-in. */
export function signInRuleRoutes(access: Access): FastifyPluginAsyncTypebox {
  return routes(access, [getSignInRulesRoute, changeSignInRulesRoute])
}

const getSignInRulesRoute = route(
  {
    method: 'GET',
    url: '/instance/sign-in-rules',
    scope: 'users',
    roles: admins,
    observed: ['membersWithoutTwoStep'],
    schema: {
      tags,
      operationId: 'getSignInRules',
      summary: 'What the instance asks of its members at a login',
      response: { 200: RulesShape },
    },
  },
  async ({ database }: Access, request) => await findSignInRules(database, request.user.instanceId),
)

const changeSignInRulesRoute = route(
  {
    method: 'PUT',
    url: '/instance/sign-in-rules',
    scope: 'users',
    roles: admins,
    proof: 'fresh',
    audit: 'sign-in.rules-changed',
    schema: {
      tags,
      operationId: 'updateSignInRules',
      summary: 'Require two-step login of all members, or no longer',
      description:
        'Members without a second step are told by mail and their sessions end; they can log in only to set one up, and every other ' +
        'request gets a 403 with the reason `two-step-required`. Logins at an identity provider and API keys are not concerned. 409 ' +
        'unless the admin who requires it has a second step.',
      body: strict({ requiresTwoStep }),
      response: { 200: RulesShape },
    },
  },
  async (access: Access, { user, body }) => await changeSignInRules(access, user, body.requiresTwoStep),
)
