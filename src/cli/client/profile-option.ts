/** Option of every command that asks a deployment. */
export const PROFILE_OPTION = {
  profile: { value: 'NAME', summary: 'the deployment to ask, as named at the login; else the current one' },
} as const
