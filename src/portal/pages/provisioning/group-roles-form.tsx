import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { type GroupRoles, type Provisioning, ROLES, type Role } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { onSubmit } from '../../parts/forms/save-form.tsx'
import { SaveRow } from '../../parts/forms/save-row.tsx'
import { useSaveState } from '../../parts/forms/save-state.ts'
import { provisioningTexts } from '../../texts/access/provisioning.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { memberTexts } from '../../texts/pages/members.ts'

const KNOWN = 'known-groups'
const MAX_NAME = 255

interface Draft {
  id: number
  group: string
  role: Role
}

interface FormProps {
  known: GroupRoles['groupRoles']
  /** Groups of the directory, of which names are offered. */
  groups: Provisioning['groups']
}

/** Roles of groups, saved as a whole. */
export function GroupRolesForm({ known, groups }: FormProps) {
  const texts = useTexts(provisioningTexts)
  const saveState = useSaveState()
  const [drafts, setDrafts] = useState<Draft[]>(() => known.map((each, id) => ({ ...each, id })))
  const nextId = useRef(known.length)
  const adder = useRef<HTMLButtonElement>(null)
  const save = useChange<object, GroupRoles>((body) => ({ method: 'PUT', path: '/group-roles', body }), saveState.end)
  const edit = (next: Draft[]) => {
    saveState.edit()
    setDrafts(next)
  }
  const add = () => edit([...drafts, { id: nextId.current++, group: '', role: 'viewer' }])
  const remove = (id: number) => {
    edit(drafts.filter((draft) => draft.id !== id))
    adder.current?.focus()
  }
  return (
    <form
      onSubmit={onSubmit(() => {
        saveState.begin()
        save.mutate({ groupRoles: drafts.map(({ group, role }) => ({ group: group.trim(), role })) })
      })}
    >
      <Text size="sm" c="dimmed" mb="sm" maw={720}>
        {texts.rolesHint}
      </Text>
      <datalist id={KNOWN}>
        {groups.map(({ id, displayName }) => (
          <option key={id} value={displayName} />
        ))}
      </datalist>
      {drafts.length === 0 && <Text size="sm">{texts.none}</Text>}
      {drafts.map((draft, index) => (
        <DraftFields
          key={draft.id}
          draft={draft}
          position={index + 1}
          onChange={(part) => edit(drafts.map((each) => (each.id === draft.id ? { ...each, ...part } : each)))}
          onRemove={() => remove(draft.id)}
        />
      ))}
      <SaveRow change={save} saved={saveState.saved} done={texts.saved}>
        <Button variant="default" ref={adder} onClick={add}>
          {texts.add}
        </Button>
      </SaveRow>
    </form>
  )
}

interface DraftFieldsProps {
  draft: Draft
  position: number
  onChange(part: Partial<Draft>): void
  onRemove(): void
}

function DraftFields({ draft, position, onChange, onRemove }: DraftFieldsProps) {
  const texts = useTexts(provisioningTexts)
  const { shortRoles } = useTexts(memberTexts)
  return (
    <fieldset className="purpose">
      <legend>{texts.group(position)}</legend>
      <Group align="flex-end" grow preventGrowOverflow={false}>
        <TextInput
          label={texts.name}
          value={draft.group}
          onChange={(event) => onChange({ group: event.currentTarget.value })}
          list={KNOWN}
          maxLength={MAX_NAME}
          pattern=".*\S.*"
          required
          withAsterisk={false}
        />
        <NativeSelect
          label={texts.role}
          value={draft.role}
          onChange={(event) => onChange({ role: ROLES.find((role) => role === event.currentTarget.value) ?? 'viewer' })}
          data={ROLES.map((role) => ({ value: role, label: shortRoles[role] }))}
        />
      </Group>
      <Button size="xs" variant="default" mt="xs" aria-label={texts.removeOne(draft.group.slice(0, 80))} onClick={onRemove}>
        {texts.remove}
      </Button>
    </fieldset>
  )
}
