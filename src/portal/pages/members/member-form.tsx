import { Checkbox, Modal, NativeSelect, PasswordInput, TextInput } from '@mantine/core'
import { ROLES, type User } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { useFocusBack } from '../../parts/dialogs/dialog.ts'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { memberTexts } from '../../texts/pages/members.ts'
import { MemberAccess } from './member-access.tsx'
import { Invite, SignInMethod } from './sign-in-method.tsx'

/** Form for a new member, or for one to change. */
export function MemberForm({ user, onClose }: { user: User | null; onClose(): void }) {
  useFocusBack()
  const texts = useTexts(memberTexts)
  const save = useChange<Record<string, unknown>>(
    (body) => (user ? { method: 'PUT', path: `/users/${user.id}`, body } : { method: 'POST', path: '/users', body }),
    onClose,
  )
  const remove = useChange<string>((id) => ({ method: 'DELETE', path: `/users/${id}` }), onClose)
  const send = (given: FormData) => {
    const text = (name: string) => String(given.get(name) ?? '').trim()
    const password = String(given.get('password') ?? '')
    const shared = { name: text('name'), role: given.get('role'), ...(password === '' ? {} : { password }) }
    const language = text('language')
    save.mutate(
      user
        ? { ...shared, isEnabled: given.get('isEnabled') === 'on' }
        : { ...shared, email: text('email'), ...(language === '' ? {} : { language }) },
    )
  }
  return (
    <Modal opened onClose={onClose} title={user ? texts.editOne(user.name.slice(0, 80)) : texts.add}>
      <SaveForm
        change={save}
        onSave={send}
        onCancel={onClose}
        notice={user && <Access user={user} />}
        beside={
          user && (
            <Confirm
              label={texts.remove}
              title={texts.removeTitle}
              question={texts.removeQuestion}
              isDangerous
              {...remove.toConfirm(user.id)}
            />
          )
        }
      >
        <TextInput name="name" label={texts.name} defaultValue={user?.name ?? ''} maxLength={200} required data-autofocus mb="sm" />
        {!user && <TextInput name="email" type="email" label={texts.email} maxLength={320} required mb="sm" />}
        <NativeSelect
          name="role"
          label={texts.role}
          defaultValue={user?.role ?? 'viewer'}
          data={ROLES.map((role) => ({ value: role, label: texts.roles[role] }))}
          mb="sm"
        />
        {user ? (
          <PasswordInput name="password" label={texts.newPassword} autoComplete="new-password" minLength={8} mb="sm" />
        ) : (
          <SignInMethod />
        )}
        {user && <Checkbox name="isEnabled" label={texts.enabled} defaultChecked={user.isEnabled} mb="sm" />}
      </SaveForm>
    </Modal>
  )
}

/** Invitation, sessions and second step of a member. */
function Access({ user }: { user: User }) {
  return (
    <>
      {user.isEnabled && user.emailProvenOn === null && <Invite user={user} />}
      <MemberAccess user={user} />
    </>
  )
}
