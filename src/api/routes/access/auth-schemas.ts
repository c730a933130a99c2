import { Type } from 'typebox'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import { PasskeyAssertion } from './passkey-schemas.ts'

const exampleToken = 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjEifQ.eyJzdWIiOiIuLi4ifQ.c2lnbmF0dXJl'

export const Role = Type.Enum(['admin', 'developer', 'integration', 'viewer'], {
  title: 'Role',
  description:
    'admin: everything, users too; developer: data, links and webhooks; integration: data and links, for programs; viewer: reads only',
})

export const Password = Type.String({ minLength: 1, maxLength: 1024, examples: ['<password>'] })
export const NewPassword = Type.String({
  minLength: 8,
  maxLength: 1024,
  description: '8 to 1,024 characters of any kind, not easy to guess',
  examples: ['violet-harbour-teapot-91'],
})

export const TokenResponse = strict(
  {
    access_token: Type.String({
      description:
        'JWT for the header `Authorization: Bearer …`. While `twoStepVerify` is true it opens nothing but `POST /auth/two-step`.',
    }),
    username: Type.String({ description: 'Display name of the account' }),
    redirect_url: Type.String({ description: 'Relative path of a dashboard page' }),
    refreshToken: Type.String({ description: 'For `POST /auth/refresh`; empty while `twoStepVerify` is true' }),
    twoStepVerify: Type.Boolean({ description: 'Whether the login still waits for its second step' }),
  },
  {
    examples: [
      {
        access_token: exampleToken,
        username: 'Avery Tremblay',
        redirect_url: '/portal/',
        refreshToken: 'q0Yk3o0q7V1m0h8c2dG0v7cX9mJ5sR1tL4wZ8yB6nE4',
        twoStepVerify: false,
      },
    ],
  },
)

/** Where the refresh token is returned. */
export const keep = Type.Optional(
  Type.Enum(['answer', 'cookie'], {
    description:
      '`cookie`, for pages in a browser: the refresh token comes as a cookie that no script can read, and `refreshToken` is empty',
    default: 'answer',
  }),
)

export const LoginBody = strict(
  { email: Type.String({ minLength: 1, maxLength: 320, description: 'Account e-mail address' }), password: Password, keep },
  { examples: [{ email: 'avery@example.com', password: '<password>' }] },
)

export const RefreshBody = strict(
  { refreshToken: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) },
  { examples: [{ refreshToken: 'q0Yk3o0q7V1m0h8c2dG0v7cX9mJ5sR1tL4wZ8yB6nE4' }] },
)

/** Exactly one of them proves the second factor. */
export const proof = {
  code: Type.Optional(
    Type.String({ pattern: '^[0-9]{6}$', description: 'The six digits that the authenticator app shows', examples: ['492039'] }),
  ),
  recoveryCode: Type.Optional(Type.String({ minLength: 20, maxLength: 60, description: 'Or one of the recovery codes' })),
  passkey: Type.Optional(PasskeyAssertion),
}

export const endOtherSessions = Type.Optional(
  Type.Boolean({ default: false, description: 'Whether to end the other sessions of the account' }),
)

export const RecoveryCodes = strict(
  {
    recoveryCodes: Type.Array(Type.String(), {
      description: 'Ten codes; each works once in place of a code of the app. They are never shown again.',
    }),
  },
  { title: 'RecoveryCodes' },
)

export const ProviderLogout = strict({ address: Type.String({ format: 'uri' }) }, { title: 'ProviderLogout' })

export const UserSchema = strict(
  {
    id: Uuid,
    email: Type.String(),
    name: Type.String(),
    role: Role,
    isEnabled: Type.Boolean({ description: 'Whether the user may log in' }),
    twoStepVerify: Type.Boolean({ description: 'Whether a login asks for a second step' }),
    isFromProvider: Type.Boolean({ description: 'Whether the identity provider has named the user, by a sign-in or by SCIM' }),
    emailProvenOn: orNull(
      Type.String({ ...PlainTimestamp, description: 'When a link that was mailed to the address was used; null: never' }),
    ),
    createdOn: PlainTimestamp,
    updatedOn: PlainTimestamp,
  },
  { title: 'User' },
)

export const TwoStepState = strict(
  {
    enabled: Type.Boolean({ description: 'Whether a login asks for a second step' }),
    hasApp: Type.Boolean({ description: 'Whether an authenticator app is set up' }),
    passkeys: Type.Integer(),
    isRequired: Type.Boolean({ description: 'Whether the instance requires it' }),
    recoveryCodesLeft: Type.Integer(),
  },
  { title: 'TwoStepState' },
)

export const TwoStepSecret = strict(
  {
    secret: Type.String({ description: 'For typing in, base32' }),
    otpauthUrl: Type.String({ description: 'For a QR code, as authenticator apps read it' }),
  },
  { title: 'TwoStepSecret' },
)

export const Whoami = strict(
  {
    ...UserSchema.properties,
    instanceId: Uuid,
    instanceName: orNull(Type.String()),
    mustSetUpTwoStep: Type.Boolean({
      description: 'Whether the session opens nothing but the set-up of two-step login, which the instance requires',
    }),
  },
  { title: 'Whoami' },
)
