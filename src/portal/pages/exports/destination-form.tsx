import { Modal, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ExportDestination } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { useFocusBack } from '../../parts/dialogs/dialog.ts'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { exportTexts } from '../../texts/pages/exports.ts'

type Kind = ExportDestination['kind']
const KINDS: readonly Kind[] = ['postgres', 'sftp', 's3']

interface FieldOfKind {
  name: 'endpoint' | 'region' | 'bucket' | 'prefix' | 'accessKeyId' | 'host' | 'port' | 'user' | 'hostKey' | 'path' | 'database' | 'schema'
  isOptional?: boolean
}

const FIELDS: Readonly<Record<Kind, readonly FieldOfKind[]>> = {
  s3: [{ name: 'endpoint' }, { name: 'region' }, { name: 'bucket' }, { name: 'prefix', isOptional: true }, { name: 'accessKeyId' }],
  sftp: [{ name: 'host' }, { name: 'port', isOptional: true }, { name: 'user' }, { name: 'hostKey' }, { name: 'path' }],
  postgres: [{ name: 'host' }, { name: 'port', isOptional: true }, { name: 'database' }, { name: 'user' }, { name: 'schema' }],
}

/** Form for a new destination. */
export function DestinationForm({ onClose }: { onClose(): void }) {
  useFocusBack()
  const texts = useTexts(exportTexts)
  const [kind, setKind] = useState<Kind>('postgres')
  const create = useChange<object>((body) => ({ method: 'POST', path: '/export-destinations', body }), onClose)
  const save = (given: FormData) => {
    const filled = [...given].filter(([, value]) => value !== '').map(([name, value]) => [name, name === 'port' ? Number(value) : value])
    create.mutate({ kind, ...Object.fromEntries(filled) })
  }
  return (
    <Modal opened onClose={onClose} title={texts.add}>
      <NativeSelect
        label={texts.kind}
        description={texts.kindHints[kind]}
        value={kind}
        onChange={(event) => setKind(KINDS.find((each) => each === event.currentTarget.value) ?? 'postgres')}
        data={KINDS.map((value) => ({ value, label: texts.destinationKinds[value] }))}
        data-autofocus
        mb="sm"
      />
      <SaveForm key={kind} change={create} onSave={save} onCancel={onClose} label={texts.addNow}>
        <TextInput name="name" label={texts.name} maxLength={200} required mb="sm" />
        {FIELDS[kind].map(({ name, isOptional = false }) => (
          <TextInput
            key={name}
            name={name}
            label={texts.fields[name]}
            {...(name === 'port' ? { type: 'number', min: 1, max: 65_535 } : {})}
            required={!isOptional}
            mb="sm"
          />
        ))}
        <PasswordInput
          name={kind === 's3' ? 'secretAccessKey' : 'password'}
          label={kind === 's3' ? texts.fields.secretAccessKey : texts.fields.password}
          description={texts.secretHint}
          autoComplete="off"
          required
          mb="sm"
        />
        {kind === 'postgres' && (
          <Textarea
            name="certificateAuthority"
            label={texts.fields.certificateAuthority}
            description={texts.authorityHint}
            rows={3}
            mb="sm"
          />
        )}
      </SaveForm>
    </Modal>
  )
}
