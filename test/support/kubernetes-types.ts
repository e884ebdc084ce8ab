import type { Deployment, StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js';
import type { ConfigMap, Service, ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';

/** The kinds of Kubernetes that the chart may make, by what a manifest says of itself. */
export interface Kinds {
  readonly 'apps/v1 Deployment': Deployment;
  readonly 'apps/v1 StatefulSet': StatefulSet;
  readonly 'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler;
  readonly 'networking.k8s.io/v1 Ingress': Ingress;
  readonly 'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy;
  readonly 'policy/v1 PodDisruptionBudget': PodDisruptionBudget;
  readonly 'v1 ConfigMap': ConfigMap;
  readonly 'v1 Service': Service;
  readonly 'v1 ServiceAccount': ServiceAccount;
}
