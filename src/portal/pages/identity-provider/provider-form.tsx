import { Checkbox, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import type { IdentityProvider } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { onSubmit } from '../../parts/forms/save-form.tsx'
import { SaveRow } from '../../parts/forms/save-row.tsx'
import { useSaveState } from '../../parts/forms/save-state.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { identityProviderTexts } from '../../texts/pages/identity-provider.ts'
import { memberTexts } from '../../texts/pages/members.ts'

const ROLES = ['viewer', 'integration', 'developer', 'admin'] as const
const DEFAULT_SCOPES = 'openid profile email offline_access'

type Fields = { provider: IdentityProvider | null }

/** Settings of the identity provider; the secret is never shown. */
export function ProviderForm({ provider }: Fields) {
  const texts = useTexts(identityProviderTexts)
  const saveState = useSaveState()
  const save = useChange<object, IdentityProvider>((body) => ({ method: 'PUT', path: '/identity-provider', body }), saveState.end)
  return (
    <form
      onChange={saveState.edit}
      onSubmit={onSubmit((values) => {
        saveState.begin()
        save.mutate(toBody(values))
      })}
    >
      <ClientFields provider={provider} />
      <MemberFields provider={provider} />
      <SecurityFields provider={provider} />
      <SaveRow change={save} saved={saveState.saved} done={texts.saved} />
    </form>
  )
}

function ClientFields({ provider }: Fields) {
  const texts = useTexts(identityProviderTexts)
  return (
    <>
      <TextInput
        name="issuer"
        type="url"
        label={texts.issuer}
        description={texts.issuerHint}
        defaultValue={provider?.issuer}
        required
        withAsterisk={false}
        maxLength={500}
        mb="sm"
      />
      <TextInput
        name="clientId"
        label={texts.clientId}
        defaultValue={provider?.clientId}
        required
        withAsterisk={false}
        maxLength={300}
        autoComplete="off"
        mb="sm"
      />
      <PasswordInput
        name="clientSecret"
        label={texts.clientSecret}
        description={provider ? texts.secretKept : undefined}
        required={provider === null}
        withAsterisk={false}
        maxLength={500}
        autoComplete="off"
        mb="sm"
      />
      <TextInput
        name="scopes"
        label={texts.scopes}
        description={texts.scopesHint}
        defaultValue={provider?.scopes.join(' ') ?? DEFAULT_SCOPES}
        required
        withAsterisk={false}
        mb="sm"
      />
      <Textarea
        name="parameters"
        label={texts.parameters}
        description={texts.parametersHint}
        defaultValue={Object.entries(provider?.parameters ?? {})
          .map(([name, value]) => `${name}=${value}`)
          .join('\n')}
        autosize
        minRows={1}
        mb="sm"
      />
    </>
  )
}

function MemberFields({ provider }: Fields) {
  const texts = useTexts(identityProviderTexts)
  const { shortRoles } = useTexts(memberTexts)
  return (
    <>
      <Textarea
        name="emailDomains"
        label={texts.emailDomains}
        description={texts.emailDomainsHint}
        defaultValue={provider?.emailDomains.join('\n')}
        autosize
        minRows={2}
        mb="sm"
      />
      <Checkbox
        name="trustsEmails"
        label={texts.trustsEmails}
        description={texts.trustsEmailsHint}
        defaultChecked={provider?.trustsEmails ?? false}
        mb="sm"
      />
      <Checkbox
        name="createsMembers"
        label={texts.createsMembers}
        description={texts.createsMembersHint}
        defaultChecked={provider?.createsMembers ?? false}
        mb="sm"
      />
      <TextInput
        name="groupsClaim"
        label={texts.groupsClaim}
        description={texts.groupsClaimHint}
        defaultValue={provider?.groupsClaim ?? ''}
        maxLength={200}
        mb="sm"
      />
      <NativeSelect
        name="defaultRole"
        label={texts.defaultRole}
        description={texts.defaultRoleHint}
        defaultValue={provider?.defaultRole ?? ''}
        data={[{ value: '', label: texts.noRole }, ...ROLES.map((value) => ({ value, label: shortRoles[value] }))]}
        mb="sm"
      />
    </>
  )
}

function SecurityFields({ provider }: Fields) {
  const texts = useTexts(identityProviderTexts)
  return (
    <>
      <TextInput
        name="acceptedAmr"
        label={texts.acceptedAmr}
        description={texts.acceptedAmrHint}
        defaultValue={provider?.acceptedAmr.join(' ')}
        mb="sm"
      />
      <TextInput
        name="acceptedAcr"
        label={texts.acceptedAcr}
        description={texts.acceptedAcrHint}
        defaultValue={provider?.acceptedAcr.join(' ')}
        mb="sm"
      />
      <Checkbox
        name="isRequired"
        label={texts.isRequired}
        description={texts.isRequiredHint}
        defaultChecked={provider?.isRequired ?? false}
      />
    </>
  )
}

function toBody(values: FormData): object {
  const text = (name: string) => String(values.get(name) ?? '').trim()
  const list = (name: string) =>
    text(name)
      .split(/[\s,]+/)
      .filter(Boolean)
  const isOn = (name: string) => values.get(name) !== null
  const secret = text('clientSecret')
  return {
    issuer: text('issuer'),
    clientId: text('clientId'),
    ...(secret === '' ? {} : { clientSecret: secret }),
    scopes: list('scopes'),
    parameters: Object.fromEntries(text('parameters').split('\n').filter(Boolean).map(toPair)),
    groupsClaim: text('groupsClaim') || null,
    emailDomains: list('emailDomains'),
    trustsEmails: isOn('trustsEmails'),
    createsMembers: isOn('createsMembers'),
    defaultRole: text('defaultRole') || null,
    acceptedAcr: list('acceptedAcr'),
    acceptedAmr: list('acceptedAmr'),
    isRequired: isOn('isRequired'),
  }
}

function toPair(line: string): [string, string] {
  const [name = '', ...value] = line.split('=')
  return [name.trim(), value.join('=').trim()]
}
