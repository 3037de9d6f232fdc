/** Memory of the instance grades. `docs/service.md` shows this table. */

export interface InstanceGroup {
  readonly grade: string;
  readonly quantity: number;
}

const MiB = 1024 * 1024;

/** Memory of one instance in bytes, by grade. Unknown grades count as `standard`. */
export const gradeMemory: Readonly<Record<string, number>> = {
  small: 512 * MiB,
  standard: 1024 * MiB,
  large: 2048 * MiB,
  xlarge: 4096 * MiB,
};

/** Returns the number of instances of a cluster. */
export function instanceCount(instances: readonly InstanceGroup[]): number {
  return instances.reduce((sum, { quantity }) => sum + quantity, 0);
}

/**
 * Returns the memory limit of a cluster's engine in bytes: the sum over its instances, at most 80 % of the machine's
 * memory.
 * @param machineBytes memory of the machine.
 */
export function clusterMemory(instances: readonly InstanceGroup[], machineBytes: number): number {
  const sum = instances.reduce((bytes, { grade, quantity }) => bytes + memoryOf(grade) * quantity, 0);
  return Math.floor(Math.min(sum, machineBytes * 0.8));
}

function memoryOf(grade: string): number {
  return (Object.hasOwn(gradeMemory, grade) ? gradeMemory[grade] : undefined) ?? gradeMemory.standard!;
}
